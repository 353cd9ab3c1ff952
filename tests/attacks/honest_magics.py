"""Magics and shell commands of a notebook.

notebook: yes
"""
%matplotlib inline
%load_ext autoreload
%time sum(range(10))
x = %timeit -n 1 -r 1 -o sum(range(10))
files = !ls
!pip install numpy
print(len(files))
display(files)

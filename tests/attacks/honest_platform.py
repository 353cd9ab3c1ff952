"""Ask what machine this is: Python tries a program for that, and goes on where it cannot.

denials: handled
"""
import platform

print(platform.platform()[:5], platform.machine(), platform.system(), platform.processor(), platform.node())

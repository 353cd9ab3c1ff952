"""What both sides of the wall need: messages and the plain data in them."""

"""Checks of a release, written from the definitions; trusts nobody."""

"""A profile and a seed -> a synthetic city: towers, people, their days, their records."""

from incrowd.read.city.city import City, synthetic_city
from incrowd.read.city.profiles import PROFILES, Profile

__all__ = ["PROFILES", "City", "Profile", "synthetic_city"]

"""What LKC-privacy must break and should keep: sequences of visits, and the pairs to suppress."""

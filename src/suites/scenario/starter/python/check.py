"""What must hold after the edit. Before it, the second test fails. The name of this file keeps it out of your own tests."""

import unittest

from greet import greet


class Greets(unittest.TestCase):
    def test_who_is_named(self):
        self.assertEqual(greet("Ada"), "Hello, Ada")

    def test_the_world_without_a_name(self):
        self.assertEqual(greet(), "Hello, world")

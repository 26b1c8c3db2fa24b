"""Where a gradient stops on its way, which of these stops is to blame, and what should have been used instead."""

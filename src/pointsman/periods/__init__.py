"""Periods of time in business requests, Chinese and English: 上周五, Q3, last month, 3月到5月.

Reports look back: without a year, the latest such period that has begun. Weeks begin on Monday. Every result is a
half-open range of days that can be shown to the person; what has two readings gives both.
"""

from pointsman.periods.find import find_periods

__all__ = ["find_periods"]

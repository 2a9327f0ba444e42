"""The same work with what reports need imported beforehand, for a process that waits for its task."""

from __future__ import annotations

from pointsman.actions.report import csv_file as csv_file
from pointsman.actions.report import database as database
from pointsman.actions.report import pdf as pdf
from pointsman.actions.report import xlsx as xlsx
from pointsman.actions.report.make import carry_out as carry_out

"""The JSON of errors. Names are part of the API's contract: they do not change."""

from pydantic import BaseModel


class ErrorSchema(BaseModel):
    """What went wrong, in a sentence."""

    detail: str


class WrongValueSchema(BaseModel):
    """An invalid value: its location, and the reason."""

    loc: list[str | int]
    msg: str
    type: str


class RefusedSchema(BaseModel):
    """Why a request was refused: in a sentence, or value by value."""

    detail: str | list[WrongValueSchema]

"""What the schemas of long lists share: a total that ends at a limit."""

from pydantic import BaseModel, Field, computed_field

from webstrata.model.list_totals import MOST_COUNTED, is_capped


class CountedListSchema(BaseModel):
    """A list with its total."""

    total: int = Field(description=f"Number of rows; beyond {MOST_COUNTED:,} they are not counted further.")

    @computed_field(alias="totalCapped", description="Whether the list is longer than `total`.")  # type: ignore[prop-decorator]
    @property
    def total_capped(self) -> bool:
        """Return whether there are more rows than were counted."""
        return is_capped(self.total)

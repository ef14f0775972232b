"""Words that every release has beside its table, so that they name nobody even where somebody is called so."""

# Of docs/release.md: the files and the manifest with its keys; then the page for readers; then methods and ledgers.
FORMAT_WORDS = frozenset(
    """
    parquet manifest manifest.json readme.md data.parquet cells.csv incrowd incrowd-release format software method
    parameters guarantee claims sensitive values delta_m clock slot_min time_zone grain_s cell_m counts pseudonyms
    people ledger dropped created suppressed records attributes merged residual_risk operating system seeded unknown
    visits fingerprints traces
    release mobility pseudonym columns column centre metres minutes seconds without number published promised finer
    opposed never residual measured sources source folder method parameter nothing alone releases drawn equal
    window_h windows start_slot min_support scores static recompute same_time refuse limit_s limit_gib max_extent_m
    max_extent_min reshape leftover shard_users device shards suppress generalize discarded extent
    radius_m keep_zero trashed trajectory earlier another shares
    duplicates still_users sparse_users displaced duplicate repeated sample outvoted before outside location
    """.split()  # noqa: SIM905
)

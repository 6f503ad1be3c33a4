/** Why rows of an account outlive it. */
export interface KeptTable {
  table: string
  why: string
}

/** The tables that keep rows of a deleted account; every other table with `account_id` is emptied by its room, or by the last step of the deletion. */
export const keptTables: readonly KeptTable[] = [
  {
    table: 'audit.entries',
    why: 'It is append-only, names people and accounts by their ids alone, and holds no content.',
  },
  { table: 'auth.accounts', why: 'The ledger names it; its name is taken away.' },
  {
    table: 'people.account_deletions',
    why: 'It records who has asked for the deletion, by an id, and when it was done.',
  },
  { table: 'ledger.journal', why: 'Grants and corrections: the books stay whole.' },
  {
    table: 'ledger.settlements',
    why: 'Receipts: money that was paid; they hold neither prompts nor answers.',
  },
  { table: 'ledger.meters', why: 'What was spent, and the balance.' },
  { table: 'ledger.usage_days', why: 'Sums of the receipts, which they must equal.' },
  { table: 'ledger.usage_pending', why: 'Sums of the receipts, which they must equal.' },
  { table: 'ledger.usage_quarters', why: 'Sums of the receipts, which they must equal.' },
  { table: 'ledger.usage_referenced', why: 'Sums of the receipts, which they must equal.' },
  { table: 'ledger.holds', why: 'None is open when the deletion begins, and none can be made after it.' },
  { table: 'requests.progress', why: 'How far the receipts are found by segments.' },
  { table: 'requests.segments', why: 'They find receipts, by ids and times alone.' },
  { table: 'requests.postings', why: 'They find receipts, by checksums of values.' },
  { table: 'requests.charges', why: 'They find receipts, by what these cost.' },
  { table: 'sites.slugs', why: 'An address stays closed for a while, so that nobody inherits its visitors.' },
]

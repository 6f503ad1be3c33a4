import { heldTables } from '#platform/holdings'

/** What the people of an account were told once, its mark of the balance, and links into it. Members leave in the last step. */
export const peopleHolding = heldTables('people', [
  { name: 'people.notices' },
  { name: 'people.balance_marks' },
  { name: 'people.links' },
])

/**
 * What the people of an account are told without asking: a threshold of a cap, a balance that is nearly spent, a key that ends soon,
 * a management key that has ended with its maker (docs/decisions/account/letters.md).
 */
import { balanceJob } from './balance.ts'
import { endedKeysJob } from './ended-keys.ts'
import { endingKeysJob } from './ending-keys.ts'
import { thresholdJob } from './threshold.ts'

export const notices = {
  name: 'notices',
  routes: [],
  jobs: [thresholdJob, balanceJob, endingKeysJob, endedKeysJob],
}

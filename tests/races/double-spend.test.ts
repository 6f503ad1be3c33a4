/** Two processes; what four do with more calls is proven in tests/campaign/races. */
import { test } from 'vitest'
import { openServers, proveBounds, shareWithoutLimits } from './bounds.ts'

openServers(2)
proveBounds(80)
test(
  'calls that name no limit share what there is: each is clamped to what the balance still pays, at least 256 tokens, or refused',
  shareWithoutLimits,
)

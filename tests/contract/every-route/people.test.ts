import { test } from 'vitest'
import { expectOutcomes } from './site.ts'

test('every route of the group succeeds and refuses with the statuses and codes that are written down', () =>
  expectOutcomes('people'))

/** The usage of an account that gives each of its calls an id of its own. */
import { test } from 'vitest'
import { expectPages } from '../../account/usage-rows.ts'

test('400,000 rows of usage are answered a page at a time, and the totals are of all of them', () =>
  expectPages(400_000))

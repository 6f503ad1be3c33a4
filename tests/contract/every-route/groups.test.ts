import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { groupsOf, routeGroups } from '../../../scripts/answers/requests.ts'
import { routes } from '../../../src/capabilities.ts'

test('every route belongs to one group, and every group has its file', () => {
  for (const { path } of routes) expect([path, groupsOf(path).length]).toEqual([path, 1])
  const files = readdirSync(import.meta.dirname)
  for (const group of routeGroups) expect(files).toContain(`${group}.test.ts`)
})

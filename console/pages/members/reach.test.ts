import { expect, test } from 'vitest'
import { capOf, projectsOf, reaches, rolesToGive, spentOf } from './reach.ts'

const own = (role: 'owner' | 'admin' | 'developer', isLimited = false) => ({
  role,
  rights: role === 'developer' ? ['members:read'] : ['members:read', 'members:write'],
  is_limited: isLimited,
})

test('owners give every role, admins all but that of an owner, and others none', () => {
  expect(rolesToGive(own('owner'))).toHaveLength(5)
  expect(rolesToGive(own('admin'))).toEqual(['admin', 'developer', 'billing', 'viewer'])
  expect(rolesToGive(own('developer'))).toEqual([])
})

test('owners are changed by owners alone, and who uses all projects by those who do', () => {
  expect(reaches(own('admin'), { role: 'owner', project_ids: null })).toBe(false)
  expect(reaches(own('owner'), { role: 'owner', project_ids: null })).toBe(true)
  expect(reaches(own('admin', true), { role: 'viewer', project_ids: null })).toBe(false)
  expect(reaches(own('admin', true), { role: 'viewer', project_ids: ['a'] })).toBe(true)
  expect(reaches(own('developer'), { role: 'viewer', project_ids: ['a'] })).toBe(false)
})

test('projects and spending are those of the member that are seen', () => {
  const all = [{ id: 'a' }, { id: 'b' }]
  expect(projectsOf({ project_ids: null }, all)).toEqual(all)
  expect(projectsOf({ project_ids: ['b', 'c'] }, all)).toEqual([{ id: 'b' }])
  const spent = (month_spent_credits: number) => ({
    project_id: 'a',
    month_cap_credits: null,
    month_spent_credits,
  })
  expect(spentOf({ spending: [spent(3), spent(4)] })).toBe(7)
})

test('a cap is a whole number of credits, or none', () => {
  expect(capOf('', undefined)).toBeNull()
  expect(capOf(' ', undefined)).toBeNull()
  expect(capOf('۱۲۰۰', '1200')).toBe(1200)
  expect(capOf('0', '0')).toBe(0)
  for (const [typed, decimal] of [
    ['1.5', '1.5'],
    ['x', undefined],
    ['-1', '-1'],
    ['1e13', '9999999999999'],
  ] as const)
    expect(capOf(typed, decimal)).toBeUndefined()
})

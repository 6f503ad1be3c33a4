/** Who may use which route: every route with every role, a key with all scopes, a management key with all permissions, a person of another account, and nobody. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSession, permissionsOf, roles } from '#account/people'
import { scopes } from '#platform/auth'
import { isOfPeople, type Route } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import type { Client, Seen } from '../harness/client.ts'
import { Browser, type Member, newManagementKey, newMember, newPerson } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'

let world: World
const callers: [name: string, client: Client][] = []
beforeAll(async () => {
  world = await sharedWorld()
  for (const role of roles) callers.push([role, await newMember(world, role)])
  callers.push(['key', await world.key()])
  callers.push(['management', await newManagementKey(world)])
  const { account } = await world.stranger()
  callers.push(['stranger', await newMember(world, 'owner', { account })])
  callers.push(['operator', await newPerson(world, { isOperator: true })])
  callers.push(['nobody', new Browser(world.url, world.app.sessions.installation)])
})
afterAll(() => world[Symbol.asyncDispose]())

const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'

/** How far the request came: `yes` is past all rights, whatever is wrong with its content, which is nothing that a route could do. */
function outcomeOf({ body }: Seen): string {
  const { code, param } = body?.error ?? {}
  if (code === 'NOT_FOUND' && param === 'X-Kherad-Project') return 'missing'
  return refusals[code] ?? 'yes'
}

const refusals: Record<string, string> = {
  INSUFFICIENT_ROLE: 'no',
  INSUFFICIENT_SCOPE: 'no',
  MANAGEMENT_PERMISSION_REQUIRED: 'no',
  PROJECT_KEY_REQUIRED: 'project key!',
  OPERATOR_REQUIRED: 'no',
  SESSION_REQUIRED: 'person!',
  INVALID_API_KEY: '401',
  NOT_SIGNED_IN: '401',
  STEP_UP_REQUIRED: 'step-up',
  CROSS_SITE_REQUEST: 'foreign',
  PROJECT_REQUIRED: 'project?',
}

/** Whoever is let in is gone afterwards. */
const endsPerson = ({ operation }: Route): boolean => operation === 'me.delete'

async function ask(route: Route, client: Client): Promise<string> {
  // Of what ends a session, each caller has one of its own.
  if (isOfPeople(route) && route.method !== 'GET' && 'personId' in client) await signInAgain(client as Member)
  const path = route.path.replace(/\{\w+\}/g, missing)
  const body = ['POST', 'PUT', 'PATCH'].includes(route.method) ? 'not json' : undefined
  const headers = {
    'content-type': 'application/json',
    ...(route.socket && { origin: new URL(world.url).origin }),
  }
  return outcomeOf(await client.request(route.method, path, body, headers))
}

async function signInAgain(member: Member): Promise<void> {
  const { token } = await world.app.db.tx((tx) =>
    openSession(tx, { personId: member.personId, method: 'password' }, new Date()),
  )
  member.cookies.set(member.nameOf('session'), token)
}

test('every route lets in the roles, keys and people that are written down', async () => {
  const lines: string[] = []
  const names = callers.map(([name]) => name)
  const asked = routes.filter(({ scope, host }) => scope !== 'public' && host === undefined)
  const [last, others] = [asked.filter(endsPerson), asked.filter((route) => !endsPerson(route))]
  for (const route of [...others, ...last]) {
    const outcomes = await Promise.all(callers.map(([, client]) => ask(route, client)))
    const or = route.orScope ? ` or ${route.orScope}` : ''
    const marks = route.stepUp ? ', step-up' : ''
    const grouped = Map.groupBy(names, (_, at) => outcomes[at]!)
    const said = [...grouped].map(([outcome, who]) => `${outcome}: ${who.join(' ')}`).join('; ')
    lines.push(`${route.method} ${route.path} (${route.scope}${or}${marks})  ${said}\n`)
  }
  await expect(lines.sort().join('')).toMatchFileSnapshot('rights.txt')
})

test('each role has its rights, and no key has those of people', () => {
  const own = (role: (typeof roles)[number]) => [...permissionsOf(role)].toSorted()
  const reads = ['cloud', 'files', 'knowledge', 'models', 'usage', 'webhooks'].map((name) => `${name}:read`)
  const permissions = [
    'account:read',
    'account:write',
    'audit:read',
    'keys:read',
    'keys:write',
    'management_keys:read',
    'management_keys:write',
    'members:read',
    'members:write',
    'money:read',
    'projects:read',
    'projects:write',
    'talk',
  ]
  expect(own('owner')).toEqual([...scopes, ...permissions].toSorted())
  expect(own('admin')).toEqual(own('owner'))
  expect(own('developer')).toEqual(
    [
      ...scopes,
      'account:read',
      'keys:read',
      'keys:write',
      'members:read',
      'projects:read',
      'talk',
    ].toSorted(),
  )
  expect(own('billing')).toEqual([
    'account:read',
    'account:write',
    'audit:read',
    'models:read',
    'money:read',
    'projects:read',
    'usage:read',
  ])
  const ofViewer = [...reads, 'account:read', 'keys:read', 'members:read', 'projects:read']
  expect(own('viewer')).toEqual(ofViewer.toSorted())
  for (const permission of permissions) expect(scopes as readonly string[]).not.toContain(permission)
})

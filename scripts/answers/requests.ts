/** The fixed list of what is asked, in an order in which nothing runs beside anything else. */

import { until } from '../../tests/harness/until.ts'
import { askAgents, askWork } from './ask-background.ts'
import { askClouds } from './ask-clouds.ts'
import { askBatches, askPictures, askText } from './ask-models.ts'
import { askPeople } from './ask-people.ts'
import { askRealtime } from './ask-realtime.ts'
import { askSignIn } from './ask-sign-in.ts'
import { askSites } from './ask-sites.ts'
import { askFiles, askKnowledge, askWebhooks } from './ask-stored.ts'
import { askTalk } from './ask-talk.ts'
import { askTalkAnswers } from './ask-talk-answers.ts'
import { askVideos } from './ask-videos.ts'
import type { Body, Recorder } from './recorder.ts'
import { refuseEverywhere } from './refusals.ts'
import { atRest } from './rows.ts'
import { openPage, signIn } from './session.ts'
import type { Site } from './site.ts'

export type RouteGroup = 'text' | 'media' | 'stored' | 'apps' | 'work' | 'people'

/** Whose routes are requested together. A path belongs to one group. */
const pathsOf: Record<RouteGroup, RegExp> = {
  text: /^\/(health|docs|voice|openapi\.json|metrics|v1\/(models|chat|responses|messages(?!\/batches)|balance|usage|requests|audit|operator))\b/,
  media: /^\/v1\/(embeddings|images|audio|studio|videos|hooks|realtime)\b/,
  stored: /^\/v1\/(webhooks|messages\/batches|knowledge|files|media)\b/,
  apps: /^\/(v1\/(sites|cloud)|app-links)\b/,
  work: /^\/v1\/(agents|work|talk)\b/,
  people:
    /^\/v1\/(me|members|invitations|keys|management-keys|projects|account|sign-in|sign-up|sign-out|step-up|recovery|links)\b/,
}
export const routeGroups = Object.keys(pathsOf) as RouteGroup[]

/** The groups to which a path belongs: one, or the list above is wrong. */
export const groupsOf = (path: string): RouteGroup[] =>
  routeGroups.filter((group) => pathsOf[group].test(path))

type Ask = (recorder: Recorder, site: Site, people: People) => Promise<void>

const steps: [RouteGroup, Ask][] = [
  ['text', askOpen],
  ['text', askModels],
  ['text', (recorder, _site, people) => askText(recorder, people)],
  ['media', askPictures],
  ['media', askVideos],
  ['media', askRealtime],
  ['stored', askWebhooks],
  ['stored', askBatches],
  ['stored', askKnowledge],
  ['stored', askFiles],
  ['apps', askSites],
  ['apps', askClouds],
  ['work', askAgents],
  ['work', askWork],
  ['work', askTalk],
  ['work', askTalkAnswers],
  ['text', askAccounts],
  ['text', askAudit],
  ['text', askMails],
  ['people', askPeople],
  ['people', askSignIn],
]

/** Asks all that is known of these groups, and of every operation of the recorder the refusals that are the same everywhere. */
export async function askGroups(
  recorder: Recorder,
  site: Site,
  groups: readonly RouteGroup[] = routeGroups,
): Promise<void> {
  const people = await makePeople(site)
  for (const [group, ask] of steps) {
    if (!groups.includes(group)) continue
    await ask(recorder, site, people)
    await atRest(site.db)
  }
  await refuseEverywhere(recorder, {
    ...people,
    owner: await signIn(site),
    stale: await signIn(site, { isStale: true }),
    guest: openPage(),
  })
  await atRest(site.db)
}

export interface People {
  /** A key that may only list models. */
  narrow: string
  /** A key that may only read webhooks. */
  watcher: string
  /** Somebody with next to nothing. */
  poor: string
  /** A key with a cap, and one model. */
  capped: string
}

async function makePeople({ cli }: Site): Promise<People> {
  const account: Body = await cli('account', 'create', '--name', 'poor', '--credits', '0.001')
  const poor: Body = await cli(
    'project',
    'create',
    '--account',
    account.account_id ?? account.id,
    '--name',
    'poor',
  )
  const key = async (...words: string[]): Promise<string> =>
    ((await cli('key', 'create', ...words)) as Body).secret
  const projects: Body = await cli('project', 'list')
  const own = (projects.data ?? projects).find((one: Body) => one.name !== 'poor')
  const of = (project: Body) => ['--project', project.project_id ?? project.id]
  return {
    narrow: await key(...of(own), '--name', 'narrow', '--scopes', 'models:read'),
    watcher: await key(...of(own), '--name', 'watcher', '--scopes', 'webhooks:read'),
    poor: await key(...of(poor), '--name', 'poor', '--scopes', 'all'),
    capped: await key(
      ...of(own),
      '--name',
      'capped',
      '--scopes',
      'all',
      '--cap',
      '0.001',
      '--models',
      'sandbox/fast',
    ),
  }
}

async function askOpen(recorder: Recorder): Promise<void> {
  // A database that takes two seconds, as on a busy machine, is not ready.
  const open = { secret: null, waitsWhile: 'SERVICE_UNAVAILABLE' }
  for (const path of [
    '/health/live',
    '/health/ready',
    '/docs',
    '/docs?lang=en',
    '/docs?lang=xx',
    '/voice',
    '/voice?lang=xx',
    '/voice/page.css',
    '/voice/nothing.js',
    '/openapi.json',
    '/metrics',
  ])
    await recorder.ask(`GET ${path}`, 'GET', path, open)
  await recorder.ask('no such path', 'GET', '/v1/nothing')
  await recorder.ask('no such path, in Persian', 'GET', '/v1/nothing', {
    headers: { 'accept-language': 'fa' },
  })
  await recorder.ask('preflight', 'OPTIONS', '/v1/chat/completions', {
    secret: null,
    headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
  })
}

async function askModels(recorder: Recorder): Promise<void> {
  const list = await recorder.ask('models', 'GET', '/v1/models')
  await recorder.ask('models, for a client of messages', 'GET', '/v1/models', {
    headers: { 'anthropic-version': '2023-06-01' },
  })
  for (const { id } of list.data)
    await recorder.ask(`model ${id}`, 'GET', `/v1/models/${encodeURIComponent(id)}`)
  await recorder.ask('a model by its alias', 'GET', '/v1/models/chat-plain')
}

async function askAccounts(recorder: Recorder): Promise<void> {
  await recorder.ask('balance', 'GET', '/v1/balance')
  const usage = await recorder.ask('usage', 'GET', '/v1/usage')
  await recorder.ask('usage by reference', 'GET', '/v1/usage?group_by=reference')
  await recorder.ask('usage, a page', 'GET', '/v1/usage?limit=1')
  const page = await recorder.ask('requests', 'GET', '/v1/requests?limit=2&model=sandbox/fast')
  await recorder.ask(
    'requests, the next page',
    'GET',
    `/v1/requests?limit=2&model=sandbox/fast&after=${page.next_after}`,
  )
  await recorder.ask('requests, a bad filter', 'GET', '/v1/requests?from=2026-02-31')
  await recorder.ask(
    'requests, as a table',
    'GET',
    '/v1/requests/export?format=csv&idempotency_key=recorded-1',
  )
  const found = await recorder.ask('lookup', 'GET', '/v1/requests/lookup?idempotency_key=recorded-1')
  const id = found.data?.[0]?.id ?? found.data?.[0]?.request_id ?? found.id
  await recorder.ask('receipt', 'GET', `/v1/requests/${id}`)
  if (!usage) throw new Error('no usage')
}

async function askAudit(recorder: Recorder, site: Site): Promise<void> {
  const page = await signIn(site)
  await recorder.ask('audit log', 'GET', '/v1/audit?limit=2', page)
  await recorder.ask('audit log of keys', 'GET', '/v1/audit?operation=keys.&from=2026-01-01T00:00:00Z', page)
  await recorder.ask('audit log, to no moment', 'GET', '/v1/audit?to=2026-01-32T00:00:00Z', page)
  await recorder.ask('audit log of the installation', 'GET', '/v1/operator/audit', page)
}

/** The mail server does not take an invitation now, and the operator ends it as where there is none. */
async function askMails(recorder: Recorder, site: Site): Promise<void> {
  const page = await signIn(site)
  const email = 'invited-to-be-revealed@example.org'
  site.mails.failures.push('451 later')
  const invitation = { ...page, json: { email, role: 'viewer' } }
  await recorder.ask('invitation that cannot be mailed', 'POST', '/v1/invitations', invitation)
  await until(() => site.mails.failures.length === 0)
  const text = `update people.mails set state = 'unsent', ended_at = now() where address = $1 returning mail_id`
  const { rows } = await site.db.query<{ mail_id: string }>(text, [email])
  const reveal = `/v1/operator/mails/${rows[0]!.mail_id}/reveal`
  await recorder.ask('mails that could not be sent', 'GET', '/v1/operator/mails?state=unsent', page)
  await recorder.ask('reveal of an invitation', 'POST', reveal, page)
}

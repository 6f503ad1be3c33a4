/**
 * Every unsafe route either declares `audited`, or stands here with the reason for which nobody asks later who called it
 * (docs/decisions/account/audit.md). That each success of the former writes one row, and nothing else does, is checked with all requests of
 * `every-route` (every-route/auditing-recorder.ts).
 */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isPermission } from '#platform/auth'
import { operationWords } from '../../console/pages/audit/operations.words.ts'
import { routes } from '../../src/capabilities.ts'

const reasons = {
  paid: 'a paid call: its receipt names the key, the model and the price',
  content: 'content of a project, which acts only where somebody calls it with a key',
  private: 'what a person keeps for themselves: nobody else reads it, so nobody asks who changed it',
  running: 'ends or goes on with work that is under way; its own record says so',
  sending: 'sends what is sent anyway; the report of deliveries lists it',
  passing: 'a credential that ends by itself within days and does less than the key that made it',
  copying: 'makes a copy, and changes nothing that stands',
  asking: 'changes nothing: it only has a body to ask with',
  proving:
    'proves who somebody is: the session that it opens stands in the log as sign_in, and what a link changes has a row of its own',
  outside: 'comes from a provider or an app user, who proves by the address that it is meant',
}

const unaudited: Record<string, keyof typeof reasons> = {
  'openid.begin': 'proving',
  'openid.finish': 'proving',
  'openid.stepUp': 'proving',
  'openid.link': 'proving',
  'passkeys.begin': 'asking',
  'step_up.passkeyOptions': 'asking',
  'sign_in.passkeyOptions': 'asking',
  'sign_in.passkey': 'proving',
  'chat.complete': 'paid',
  'responses.create': 'paid',
  'messages.create': 'paid',
  'messages.countTokens': 'asking',
  'batches.create': 'paid',
  'batches.cancel': 'running',
  'batches.delete': 'content',
  'embeddings.create': 'paid',
  'images.generate': 'paid',
  'images.edit': 'paid',
  'images.order': 'paid',
  'audio.speech': 'paid',
  'audio.transcribe': 'paid',
  'audio.translate': 'paid',
  'realtime.create': 'paid',
  'realtime.end': 'running',
  'realtime.endOne': 'running',
  'realtime.hangup': 'running',
  'realtime.forget': 'content',
  'realtime.clientSecret': 'passing',
  'studio.image': 'paid',
  'studio.audio': 'paid',
  'studio.text': 'paid',
  'studio.video': 'paid',
  'studio.videoStatus': 'asking',
  'studio.videoContent': 'asking',
  'videos.order': 'paid',
  'hooks.video': 'outside',
  'agents.create': 'content',
  'agents.change': 'content',
  'agents.delete': 'content',
  'agents.run': 'paid',
  'work.create': 'paid',
  'work.cancel': 'running',
  'talk.send': 'paid',
  'talk.answer': 'paid',
  'talk.stop': 'running',
  'talk.estimate': 'asking',
  'talk.change': 'private',
  'talk.delete': 'private',
  'talk.delete_all': 'private',
  'knowledge.create': 'content',
  'knowledge.change': 'content',
  'knowledge.delete': 'content',
  'knowledge.search': 'asking',
  'knowledge.embed': 'paid',
  'knowledge.add_source': 'content',
  'knowledge.delete_source': 'content',
  'files.upload': 'content',
  'files.delete': 'content',
  'files.link': 'passing',
  'sites.domains.check': 'running',
  'cloud.retry': 'running',
  'cloud.back_up': 'copying',
  'cloud.links.press': 'outside',
  'sign_in.password': 'proving',
  'sign_in.requestCode': 'asking',
  'sign_in.requestPhoneCode': 'asking',
  'sign_in.confirmCode': 'proving',
  'sign_in.confirmPhoneCode': 'proving',
  'sign_in.secondFactor': 'proving',
  'sign_up.request': 'asking',
  'sign_up.confirm': 'proving',
  'recovery.request': 'asking',
  'recovery.confirm': 'proving',
  'links.read': 'asking',
  'links.redeem': 'proving',
  'step_up.requestCode': 'asking',
  'webhooks.test': 'sending',
  'webhooks.redeliver': 'sending',
}

const unsafe = routes.filter(({ method }) => method !== 'GET')

test('every unsafe route writes to the audit log or has a reason not to, and no reason is of a route that does or is gone', () => {
  const silent = unsafe.filter(({ audited }) => !audited).map(({ operation }) => operation)
  expect(silent.toSorted()).toEqual(Object.keys(unaudited).toSorted())
})

test('what a GET answers is never a change, so none declares a row', () => {
  expect(routes.filter(({ method, audited }) => method === 'GET' && audited)).toEqual([])
})

test('every unsafe route that asks for a right which no key has is audited, whatever it changes, but what a person does with their own conversations', () => {
  const silent = unsafe.filter(({ scope, audited }) => isPermission(scope) && scope !== 'talk' && !audited)
  expect(silent.map(({ operation }) => operation)).toEqual([])
})

/** The operations of rows that are written beside routes: by commands, by jobs, and by steps of a sign-in. */
function writtenOperations(): string[] {
  const writes = /\b(?:audit|auditCommand|auditedRoom|changeCaps)\(/
  const named = /(?:operation: |auditedRoom\(session, )'([\w.]+)'/g
  const either = /operation: [^\n]*\? '([\w.]+)' : '([\w.]+)'/g
  return globSync(['src/account/**/*.ts', 'cli/**/*.ts'])
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => writes.test(text) && !text.includes('  route({'))
    .flatMap((text) => [...text.matchAll(named), ...text.matchAll(either)])
    .flatMap((match) => match.slice(1))
}

test('every operation that the log may have is a sentence of the console, in both languages', () => {
  const written = writtenOperations()
  expect(written).toEqual(
    expect.arrayContaining(['sign_in', 'account.suspend', 'account.resume', 'sites.takedown']),
  )
  const audited = routes.filter(({ audited }) => audited).map(({ operation }) => operation)
  const operations = new Set([...audited, ...written])
  for (const words of [operationWords.fa, operationWords.en])
    expect([...operations].filter((operation) => words[operation] === undefined)).toEqual([])
})

/** Of every route the refusals that are the same everywhere: no key, too narrow a key, what does not exist, what does not fit. */
import type { Operation } from './document.ts'
import type { Recorder, RequestOptions } from './recorder.ts'
import type { People } from './requests.ts'
import type { Page } from './session.ts'

const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'

/** Providers are called by names, other things by ids. */
const missingIn = (path: string): string =>
  path.replace('{provider}', 'elsewhere').replace(/\{\w+\}/g, missing)

/** Who asks what is refused: keys, and pages in browsers. */
export interface Refused extends People {
  /** An operator who owns the account. */
  owner: Page
  /** The same, whose last factor was given too long ago for what asks for a recent one. */
  stale: Page
  /** Nobody is signed in. */
  guest: Page
}

export async function refuseEverywhere(recorder: Recorder, people: Refused): Promise<void> {
  for (const operation of recorder.operations) {
    if (operation.isOfOwnPage) await refuseOwnPage(recorder, operation, people)
    else if (operation.isPublic) await refusePublic(recorder, operation)
    else await refuse(recorder, operation, people)
  }
}

async function refusePublic(recorder: Recorder, { name, method, path }: Operation): Promise<void> {
  // A database that takes two seconds, as on a busy machine, is not ready.
  const waits = { waitsWhile: 'SERVICE_UNAVAILABLE' }
  await recorder.ask(`${name}: nonsense in the query`, method, `${path}?limit=0&nonsense=1`, waits)
  await recorder.ask(`${name}: another method`, 'DELETE', path)
  // What no method but its own is answered with is the only refusal that a public route has.
  recorder.noteRefusal(name)
}

/** Nobody needs to be signed in, but a page of another site is refused. */
async function refuseOwnPage(
  recorder: Recorder,
  { name, method, path, hasBody }: Operation,
  { guest }: Refused,
) {
  const target = missingIn(path)
  const ask = (what: string, options: RequestOptions) =>
    recorder.ask(`${name}: ${what}`, method, target, options)
  const json = {}
  await ask('no page', { json, secret: null })
  const headers = { ...guest.headers, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
  await ask('a page of another site', { ...guest, json, headers })
  if (hasBody) await refuseBodies(ask, guest)
}

async function refuse(recorder: Recorder, operation: Operation, people: Refused): Promise<void> {
  const { name, method, path, hasBody, isOfPeople, needsStepUp } = operation
  /** Whoever may ask. */
  const caller = isOfPeople ? people.owner : {}
  const target = missingIn(path)
  const fitting = hasBody ? { json: {} } : {}
  const ask = (what: string, options: RequestOptions, at = target) =>
    recorder.ask(`${name}: ${what}`, method, at, options)
  await ask('no key', { ...fitting, secret: null })
  await ask('no key, in Persian', { ...fitting, secret: null, headers: { 'accept-language': 'fa-IR' } })
  await ask('too narrow a key', {
    ...fitting,
    secret: path.includes('webhooks') ? people.narrow : people.watcher,
  })
  if (needsStepUp) await ask('no factor of late', { ...people.stale, ...fitting })
  if (target !== path) await ask('what does not exist', { ...caller, ...fitting })
  if (target !== path)
    await ask('an id that is none', { ...caller, ...fitting }, path.replace(/\{\w+\}/g, 'none'))
  if (method === 'GET') await ask('nonsense in the query', caller, `${target}?limit=0&nonsense=1`)
  if (hasBody) await refuseBodies(ask, caller)
}

async function refuseBodies(
  ask: (what: string, options: RequestOptions) => Promise<unknown>,
  caller: RequestOptions,
): Promise<void> {
  await ask('no JSON', { ...caller, raw: { type: 'application/json', body: '{' } })
  await ask('another type', { ...caller, raw: { type: 'text/plain', body: 'text' } })
  await ask('an unknown field, in Persian', {
    ...caller,
    json: { unknown_field: 1 },
    headers: { ...caller.headers, 'accept-language': 'fa' },
  })
}

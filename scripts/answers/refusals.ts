/** Of every route the refusals that are the same everywhere: no key, too narrow a key, what does not exist, what does not fit. */
import type { Operation } from './document.ts'
import type { Recorder } from './recorder.ts'
import type { People } from './requests.ts'

const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'

export async function refuseEverywhere(recorder: Recorder, people: People): Promise<void> {
  for (const operation of recorder.operations) {
    if (operation.isPublic) await refusePublic(recorder, operation)
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

async function refuse(recorder: Recorder, operation: Operation, people: People): Promise<void> {
  const { name, method, path, hasBody } = operation
  const target = path.replace(/\{\w+\}/g, missing)
  const fitting = hasBody ? { json: {} } : {}
  const ask = (what: string, options: object, at = target) =>
    recorder.ask(`${name}: ${what}`, method, at, options)
  await ask('no key', { ...fitting, secret: null })
  await ask('no key, in Persian', { ...fitting, secret: null, headers: { 'accept-language': 'fa-IR' } })
  await ask('too narrow a key', {
    ...fitting,
    secret: path.includes('webhooks') ? people.narrow : people.watcher,
  })
  if (target !== path) await ask('what does not exist', fitting)
  if (target !== path) await ask('an id that is none', fitting, path.replace(/\{\w+\}/g, 'none'))
  if (method === 'GET') await ask('nonsense in the query', {}, `${target}?limit=0&nonsense=1`)
  if (!hasBody) return
  await ask('no JSON', { raw: { type: 'application/json', body: '{' } })
  await ask('another type', { raw: { type: 'text/plain', body: 'text' } })
  await ask('an unknown field, in Persian', {
    json: { unknown_field: 1 },
    headers: { 'accept-language': 'fa' },
  })
}

import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { ApiError } from './api-error.ts'
import { answer, currentNeeds, StepUpStopped, subscribeNeeds } from './ask.ts'
import { addressOf, call } from './client.ts'

/** What all tabs share, and what this one keeps for itself. */
const [stored, ofTab] = [new Map<string, string>(), new Map<string, string>()]
const storageOf = (map: Map<string, string>) => ({
  getItem: (name: string) => map.get(name) ?? null,
  setItem: (name: string, value: string) => void map.set(name, value),
})
vi.stubGlobal('localStorage', storageOf(stored))
vi.stubGlobal('sessionStorage', storageOf(ofTab))

/** Answers in order, and keeps what was asked. */
function serve(...answers: [status: number, body?: unknown][]): Request[] {
  const asked: Request[] = []
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    asked.push(new Request(new URL(address, 'http://console.test'), init))
    const [status, body] = answers.shift()!
    return new Response(body === undefined ? null : JSON.stringify(body), { status })
  })
  return asked
}

afterAll(() => vi.unstubAllGlobals())

/** Stands for the dialogs of the shell: answers whatever the person is asked for, and keeps what that was. */
function person(isGiven: boolean): { asked: string[] } {
  const asked: string[] = []
  leave = subscribeNeeds(() => {
    for (const need of currentNeeds()) {
      asked.push(need)
      queueMicrotask(() => answer(need, isGiven))
    }
  })
  return { asked }
}
let leave: (() => void) | undefined

afterEach(() => {
  leave?.()
  stored.clear()
  ofTab.clear()
})

const refusal = (code: string) => ({ request_id: 'r-1', error: { code, message: 'No.', param: 'email' } })

test('paths have their parameters, and queries leave out what is undefined', () => {
  expect(addressOf('/v1/keys/{id}', { params: { id: 'a/b' }, query: { limit: 5, after: undefined } })).toBe(
    '/v1/keys/a%2Fb?limit=5',
  )
})

test('a call names language and project, and sends JSON', async () => {
  stored.set('kherad.project', 'p-1')
  const asked = serve([202, {}])
  await call('POST /v1/sign-in/code', { body: { email: 'a@b.ir' } })
  const [request] = asked
  expect(request!.headers.get('accept-language')).toBe('fa')
  expect(request!.headers.get('x-kherad-project')).toBe('p-1')
  expect(request!.headers.get('content-type')).toBe('application/json')
  expect(await request!.json()).toEqual({ email: 'a@b.ir' })
})

test('the project of a tab stays while another tab chooses another one', async () => {
  stored.set('kherad.project', 'p-1')
  const asked = serve([200, {}], [200, {}])
  await call('GET /v1/balance')
  stored.set('kherad.project', 'p-2')
  await call('GET /v1/balance')
  expect(asked.map(({ headers }) => headers.get('x-kherad-project'))).toEqual(['p-1', 'p-1'])
})

test('a refusal speaks in the words of the API, with field and request id', async () => {
  serve([400, refusal('EMAIL_INVALID')])
  const error = await call('POST /v1/sign-in/code', { body: { email: '' } }).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    code: 'EMAIL_INVALID',
    message: 'No.',
    param: 'email',
    requestId: 'r-1',
    status: 400,
  })
})

test('where the session has ended the person signs in again, and the same call is made once more', async () => {
  const asked = serve([401, refusal('NOT_SIGNED_IN')], [202, {}])
  const { asked: needs } = person(true)
  await call('POST /v1/sign-in/code', { body: { email: 'a@b.ir' } })
  expect(needs).toEqual(['sign_in'])
  expect(await Promise.all(asked.map((one) => one.text()))).toEqual([
    JSON.stringify({ email: 'a@b.ir' }),
    JSON.stringify({ email: 'a@b.ir' }),
  ])
})

test('a route that programs call too refuses an ended session by the key that is not there, and the person signs in again', async () => {
  const asked = serve([401, refusal('INVALID_API_KEY')], [200, { data: [] }])
  const { asked: needs } = person(true)
  await call('GET /v1/requests', { query: { limit: 50 } })
  expect(needs).toEqual(['sign_in'])
  expect(asked).toHaveLength(2)
})

test('where a recent factor is missing the person gives one, and the same call is made with the same key', async () => {
  const asked = serve([403, refusal('STEP_UP_REQUIRED')], [202, {}])
  const { asked: needs } = person(true)
  await call('POST /v1/sign-in/code', { body: { email: 'a@b.ir' }, idempotencyKey: 'k-1' })
  expect(needs).toEqual(['step_up'])
  expect(asked.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['k-1', 'k-1'])
  expect(await asked[1]!.json()).toEqual({ email: 'a@b.ir' })
})

test('calls that need a factor at the same time ask once, and each is made once more', async () => {
  const refused: [number, unknown] = [403, refusal('STEP_UP_REQUIRED')]
  const asked = serve(refused, refused, [202, {}], [202, {}])
  const { asked: needs } = person(true)
  await Promise.all(['a', 'b'].map((email) => call('POST /v1/sign-in/code', { body: { email } })))
  expect(needs).toEqual(['step_up'])
  expect(asked).toHaveLength(4)
})

test('a person who gives no factor stops the call, and one who does not sign in again gets its refusal', async () => {
  person(false)
  serve([403, refusal('STEP_UP_REQUIRED')])
  await expect(call('POST /v1/sign-in/code', { body: { email: 'a' } })).rejects.toThrow(StepUpStopped)
  serve([401, refusal('NOT_SIGNED_IN')])
  await expect(call('POST /v1/sign-in/code', { body: { email: 'a' } })).rejects.toThrow('No.')
})

test('wrong credentials ask the person for nothing, and what is missing again after the answer is an error', async () => {
  const { asked: needs } = person(true)
  serve([401, refusal('WRONG_CREDENTIALS')])
  await expect(call('POST /v1/sign-in/code', { body: { email: 'a' } })).rejects.toThrow('No.')
  expect(needs).toEqual([])
  serve([401, refusal('NOT_SIGNED_IN')], [403, refusal('STEP_UP_REQUIRED')], [401, refusal('NOT_SIGNED_IN')])
  await expect(call('POST /v1/sign-in/code', { body: { email: 'a' } })).rejects.toThrow('No.')
  expect(needs).toEqual(['sign_in', 'step_up'])
})

test('on a page without the shell a refusal is an error at once', async () => {
  serve([401, refusal('NOT_SIGNED_IN')])
  await expect(call('POST /v1/sign-in/code', { body: { email: 'a' } })).rejects.toThrow('No.')
  expect(currentNeeds().size).toBe(0)
})

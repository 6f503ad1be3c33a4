import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { ApiError } from './api-error.ts'
import { addressOf, call, setSignInAgain } from './client.ts'

const stored = new Map<string, string>()
vi.stubGlobal('localStorage', {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
})

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

afterEach(() => {
  setSignInAgain(undefined)
  stored.clear()
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
  const askedPerson = vi.fn(async () => {})
  setSignInAgain(askedPerson)
  await call('POST /v1/sign-in/code', { body: { email: 'a@b.ir' } })
  expect(askedPerson).toHaveBeenCalledOnce()
  expect(await Promise.all(asked.map((one) => one.text()))).toEqual([
    JSON.stringify({ email: 'a@b.ir' }),
    JSON.stringify({ email: 'a@b.ir' }),
  ])
})

test('wrong credentials ask nobody to sign in again, and a second end of the session is an error', async () => {
  const askedPerson = vi.fn(async () => {})
  setSignInAgain(askedPerson)
  serve([401, refusal('WRONG_CREDENTIALS')])
  await expect(call('POST /v1/sign-in/code', { body: { email: 'a' } })).rejects.toThrow('No.')
  expect(askedPerson).not.toHaveBeenCalled()
  serve([401, refusal('NOT_SIGNED_IN')], [401, refusal('NOT_SIGNED_IN')])
  await expect(call('POST /v1/sign-in/code', { body: { email: 'a' } })).rejects.toThrow('No.')
  expect(askedPerson).toHaveBeenCalledOnce()
})

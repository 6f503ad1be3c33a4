/** Functions deployed and called over HTTP, as developers and apps do. */
import assert from 'node:assert/strict'
import type { Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import type { TestCloud, World } from '../../harness/world.ts'

export const functionsOf = ({ id }: Pick<TestCloud, 'id'>): string => `/v1/cloud/${id}/functions`
export const secretsOf = ({ id }: Pick<TestCloud, 'id'>): string => `/v1/cloud/${id}/secrets`

/** Sent again for as long as the server's first test of its jail goes on: on a busy machine it takes more than the ten seconds that a request waits for it. */
export const send = (
  cloud: TestCloud,
  name: string,
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Seen> => onceTested(() => cloud.client.post(functionsOf(cloud), { name, code, ...more }, headers))

/** The answer of a server that has tested its jail. */
export const onceTested = (post: () => Promise<Seen>): Promise<Seen> =>
  until(async () => {
    const reply = await post()
    return untestedJail.some((words) => reply.text.includes(words)) ? undefined : reply
  })

const untestedJail = [
  'the test of the jail at the start has not ended yet',
  'آزمون زندان در آغاز هنوز پایان نیافته است',
  'the test of the jail did not end as it should',
  'آزمون زندان چنان که باید پایان نیافت',
]

/** Resolves when this server has tested its jail, whatever came of it. */
export const jailTested = ({ app }: Pick<World, 'app'>) =>
  until(async () => {
    const state = await app.functions.state()
    return state.kind !== 'refused' || !untestedJail.some((words) => state.why.en.startsWith(words))
  })

/** Deployed for everybody to call, unless `more` says otherwise. */
export async function deploy(
  cloud: TestCloud,
  name: string,
  code: string,
  more: Record<string, unknown> = {},
): Promise<Seen['body']> {
  const made = await send(cloud, name, code, { verify_jwt: false, ...more })
  assert.equal(made.status, 201, made.text)
  return made.body
}

/** A call by the public key. */
export const call = (cloud: TestCloud, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${cloud.pathUrl}/functions/v1/${path}`, {
    ...init,
    headers: { apikey: cloud.publicKey, ...(init.headers as Record<string, string>) },
  })

export const textOf = async (cloud: TestCloud, path: string, init?: RequestInit): Promise<string> => {
  const answer = await call(cloud, path, init)
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text
}

/** A function that answers this text. */
export const answering = (text: string): string =>
  `export default { fetch() { return new Response(${JSON.stringify(text)}) } }`

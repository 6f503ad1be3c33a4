/** Sites as tests publish them. */
import { expect } from 'vitest'
import type { Client, Seen } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'

export const file = (path: string, content: string | Uint8Array) => ({
  path,
  content: Buffer.from(content).toString('base64'),
  encoding: 'base64',
})

export const page = (text: string) => file('index.html', `<!doctype html><title>${text}</title>`)

export const siteBody = (name: string, more: object = {}) => ({
  name,
  confirm_public: true,
  files: [page(name)],
  ...more,
})

/** Resolves when no publication of the site is under way; with its detail. */
export const settled = (key: Client, id: string): Promise<Seen['body']> =>
  until(async () => {
    const { status, body, text } = await key.get(`/v1/sites/${id}`)
    expect(status, text).toBe(200)
    return body.versions.some((one: { status: string }) => one.status === 'publishing') ? undefined : body
  })

/** Publishes a site, or a version of one, and waits until it is ready. */
export async function publish(key: Client, body: object, id?: string): Promise<Seen['body']> {
  const reply = await key.post(id === undefined ? '/v1/sites' : `/v1/sites/${id}`, body)
  expect(reply.status, reply.text).toBe(202)
  const site = await settled(key, reply.body.id)
  expect(site.status).toBe('ready')
  return site
}

export const remove = (key: Client, id: string, confirm: string): Promise<Seen> =>
  key.request('DELETE', `/v1/sites/${id}`, JSON.stringify({ confirm }))

export const rollBack = (key: Client, id: string, body?: object): Promise<Seen> =>
  key.request('POST', `/v1/sites/${id}/rollback`, body === undefined ? undefined : JSON.stringify(body))

/** Status, code and named field of a refusal. */
export const refusalOf = ({ status, body }: Pick<Seen, 'status' | 'body'>) => [
  status,
  body.error?.code,
  body.error?.param,
]

/** Nothing is published before this is disposed: every publication waits before it stores its first content. */
export async function pausedPublishing({ app }: World): Promise<AsyncDisposable> {
  const client = await app.db.pool.connect()
  await client.query('begin')
  await client.query('lock table sites.blobs in share mode')
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

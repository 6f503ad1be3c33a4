/** Sites published through the API, and visitors who ask for their pages over HTTP. */
import { type IncomingHttpHeaders, request } from 'node:http'
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/until.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  rawHeaders: string[]
  body: Buffer
  text: string
}

export interface VisitOptions {
  method?: string
  headers?: Record<string, string>
}

export type Visit = (path: string, options?: VisitOptions) => Promise<Answer>

/** Asks the address for a path exactly as it is written: neither is it normalised, nor is anything sent beside what is named. */
export function visit(
  url: string,
  path: string,
  { method = 'GET', headers = {} }: VisitOptions = {},
): Promise<Answer> {
  const { hostname, port, host } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ method, path, port },
        // Where a name is this machine, its resolver need not know it.
        hostname: hostname.endsWith('.localhost') ? '127.0.0.1' : hostname,
        headers: { host, ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const body = Buffer.concat(chunks)
          const { statusCode = 0, headers, rawHeaders } = response
          resolve({ status: statusCode, headers, rawHeaders, body, text: body.toString() })
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

export interface Published {
  id: string
  /** `http://slug.localhost:port` */
  url: string
  preview: string
  get: Visit
}

export interface Publication {
  files: Record<string, string | Uint8Array>
  name?: string
  spa?: boolean
  slug?: string
  /** Of the site that gets a new version. */
  id?: string
}

/** Publishes and waits until the version is live. */
export async function publish(
  key: Client,
  { files, name = 'سایت', spa, slug, id }: Publication,
): Promise<Published> {
  const body = {
    ...{ name, confirm_public: true },
    ...(spa !== undefined && { spa }),
    ...(slug !== undefined && { slug }),
    files: Object.entries(files).map(([path, content]) => ({
      path,
      content: Buffer.from(content).toString('base64'),
      encoding: 'base64',
    })),
  }
  const reply = await key.post(id === undefined ? '/v1/sites' : `/v1/sites/${id}`, body)
  expect(reply.status, reply.text).toBe(202)
  const site = await until(async () => {
    const { body } = await key.get(`/v1/sites/${reply.body.id}`)
    return body.status === 'publishing' ? undefined : body
  })
  expect(site.status, JSON.stringify(site.error)).toBe('ready')
  const get: Visit = (path, options) => visit(site.url, path, options)
  return { id: site.id, url: site.url, preview: site.live.preview_url, get }
}

/** The app back-ends of a project, as a running server tells of them. */
import { refuse } from '../command.ts'
import { readBytes, readJson, request, type Sent, type Server } from '../server.ts'
import { cloudPhrases as words } from './phrases.ts'

export interface Cloud {
  id: string
  name: string
  plan: string
  status: 'provisioning' | 'ready' | 'failed' | 'suspended' | 'deleting'
  error: { code: string; message: string } | null
  suspended_reason: string | null
  ref: string
  cloud_url: string
  created_at: string
}

export interface CloudDetail extends Cloud {
  usage: { day: string } & Record<string, { used: number; max?: number }>
}

const maxAnswerBytes = 16 * 1024 * 1024
const pageSize = 100

/** One answer of the server, which has to be an object. */
export async function ask<Answer>(
  server: Server,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  sent: Sent = {},
): Promise<Answer> {
  const answer = await request(server, method, path, sent, async (reply) =>
    readJson((await readBytes(reply, maxAnswerBytes)).toString()),
  )
  return typeof answer === 'object' && answer !== null
    ? (answer as Answer)
    : refuse('NOT_KHERAD', words.badAnswer())
}

export const pathOf = ({ id }: Pick<Cloud, 'id'>, below = ''): string =>
  `/v1/cloud/${encodeURIComponent(id)}${below}`

/** All of them, newest first. */
export async function allClouds(server: Server): Promise<Cloud[]> {
  const clouds: Cloud[] = []
  for (let after = ''; ; ) {
    const page = await ask<{ data: Cloud[]; has_more: boolean; last_id: string | null }>(
      server,
      'GET',
      `/v1/cloud?limit=${pageSize}${after}`,
    )
    if (!Array.isArray(page.data)) return refuse('NOT_KHERAD', words.badAnswer())
    clouds.push(...page.data)
    if (!page.has_more || page.last_id === null) return clouds
    after = `&after_id=${encodeURIComponent(page.last_id)}`
  }
}

/** The one that is meant by an id, a ref or a name. Refuses a name that several have, and one that none has. */
export async function requireCloud(server: Server, typed: string): Promise<Cloud> {
  const clouds = await allClouds(server)
  const exact = clouds.find(({ id, ref }) => id === typed.toLowerCase() || ref === typed.toLowerCase())
  if (exact) return exact
  const [named, ...others] = clouds.filter(({ name }) => name === typed)
  if (others.length > 0) refuse('SEVERAL_CLOUDS', words.severalClouds(typed))
  return named ?? refuse('NOT_FOUND', words.unknownCloud(typed))
}

/** The app back-ends of a project, as a running server describes them. */
import { type ParsedArguments, refuse, type Session } from '../command.ts'
import { requestAll } from '../server/records.ts'
import { type Server, serverOf } from '../server.ts'
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
  read_only: 'disk' | 'unpaid' | null
  paid_until: string | null
  move: 'moving' | 'failed' | null
  usage: { day: string } & Record<string, { used: number; max?: number }>
}

export const pathOf = ({ id }: Pick<Cloud, 'id'>, below = ''): string =>
  `/v1/cloud/${encodeURIComponent(id)}${below}`

/** All clouds of the project, newest first. */
export const allClouds = (server: Server): Promise<Cloud[]> => requestAll<Cloud>(server, '/v1/cloud')

/** The server of the command, and its cloud that the first word names. */
export async function namedCloud(
  session: Session,
  given: ParsedArguments,
): Promise<{ server: Server; cloud: Cloud }> {
  const server = await serverOf(session, given)
  return { server, cloud: await requireCloud(server, given.words[0]!) }
}

/** Finds a cloud by an id, a ref or a name. Refuses a name that several clouds have, and one that none has. */
export async function requireCloud(server: Server, typed: string): Promise<Cloud> {
  const clouds = await allClouds(server)
  const exact = clouds.find(({ id, ref }) => id === typed.toLowerCase() || ref === typed.toLowerCase())
  if (exact) return exact
  const [named, ...others] = clouds.filter(({ name }) => name === typed)
  if (others.length > 0) refuse('SEVERAL_CLOUDS', words.severalClouds(typed))
  return named ?? refuse('NOT_FOUND', words.unknownCloud(typed))
}

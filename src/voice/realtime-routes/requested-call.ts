/** Reads the call that a request asks for: by which client secret, with which agent, model and settings. Nothing is reserved or held here. */
import { fail } from '#platform/errors'
import { type ClientSecretRow, findClientSecret, namesHosted, type Transport } from '#voice/realtime'
import { agentOfCall } from '#work/agents'
import type { CallContext } from './app.ts'
import { engineOf, type ModelAndSettings } from './call-model.ts'
import { requireAgentModel, requireCallModel } from './chosen-model.ts'
import { firstSession } from './first-session.ts'
import { reasons } from './phrases.ts'

/** The fields of the request, or of its client secret, that choose the call. */
export interface CallChoice {
  transport: Transport['kind']
  model: string | undefined
  /** The agent that answers. A client secret has its own, or none. */
  agentId: string | undefined
  /** The sessions, applied one after the other, as if each were a `session.update`. */
  sessions: readonly Record<string, unknown>[]
  /** Whether the words and the sound of the call are to be kept. */
  store?: boolean | undefined
}

export interface RequestedCall extends ModelAndSettings {
  /** The session fields without effect. */
  ignored: readonly string[]
  /** Whether the words and the sound of the call are kept. */
  store: boolean
  /** The client secret that begins the call; undefined for a caller with a key. */
  secret: ClientSecretRow | undefined
}

/** Throws the refusals of the model, the agent and the session, and INVALID_API_KEY for a client secret that is used up. */
export async function requestedCall(context: CallContext, asked: CallChoice): Promise<RequestedCall> {
  const secret = await clientSecretOf(context)
  const { agentId, named, sessions, store } = secret ? choiceOfSecret(secret, asked) : choiceOfKey(asked)
  const agent = agentId ? await agentOfCall(context, agentId) : undefined
  const model = agent
    ? requireAgentModel(context, agent, named)
    : requireCallModel(context, named, sessions[0])
  const { settings, ignored } = firstSession(context, model, ...sessions)
  if (engineOf(model, asked.transport) === 'passthrough') requirePassthroughSettings(sessions, store)
  return { model, agent, settings, ignored, store: store ?? false, secret }
}

interface Choice extends Pick<CallChoice, 'agentId' | 'sessions' | 'store'> {
  named: string | undefined
}

/** The settings of a client secret apply to every caller who uses it: clients send the model of their vendor beside it. */
const choiceOfSecret = (
  { agent_id, model, session, store }: ClientSecretRow,
  { sessions }: CallChoice,
): Choice => ({
  agentId: agent_id ?? undefined,
  named: model ?? undefined,
  sessions: [session, ...sessions],
  store,
})

const choiceOfKey = ({ agentId, model, sessions, store }: CallChoice): Choice => ({
  agentId,
  named: model,
  sessions,
  store,
})

/** The client secret of the caller; undefined for a caller with a key. */
async function clientSecretOf({
  app,
  caller: { clientSecretHash: hash },
}: CallContext): Promise<ClientSecretRow | undefined> {
  if (!hash) return undefined
  const now = new Date(app.clock.nowMs())
  return (await findClientSecret(app.db, hash, now)) ?? fail('INVALID_API_KEY', {})
}

/** Refuses settings of a passthrough call that need its sound or its events, which do not pass through this server. */
function requirePassthroughSettings(
  sessions: readonly Record<string, unknown>[],
  store: boolean | undefined,
): void {
  if (store) fail('INVALID_REQUEST', { why: reasons.passedStore }, { param: 'store' })
  if (sessions.some(({ tools }) => namesHosted(tools)))
    fail('INVALID_REQUEST', { why: reasons.passedTools }, { param: 'session.tools' })
}

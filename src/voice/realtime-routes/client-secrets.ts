import type { Static } from 'typebox'
import { acceptOnce } from '#core/calls'
import type { JsonText, RequestContext } from '#platform/http'
import { newClientSecret, sha256 } from '#platform/secrets'
import { insertClientSecret } from '#voice/realtime'
import { agentOfCall } from '#work/agents'
import type { ClientSecretsApp } from './app.ts'
import { modelOfSession, requireAgentModel, requireCallModel } from './chosen-model.ts'
import { firstSession } from './first-session.ts'
import type { Secret, SecretBody } from './schema.ts'

const standardSeconds = 600
/** How many calls one secret may begin: a page that is loaded again begins another. */
const callsOfSecret = 10

/** Makes a secret for a browser: it begins a few calls with this session in the name of the key, and does nothing else. */
export async function createSecret(
  context: RequestContext<ClientSecretsApp, Static<typeof SecretBody>>,
): Promise<JsonText> {
  const { app, body, caller } = context
  const { expires_after: { seconds = standardSeconds } = {}, agent_id, session = {}, store = false } = body
  const agent = agent_id === undefined ? undefined : await agentOfCall(context, agent_id)
  const named = modelOfSession(session)
  const model = agent ? requireAgentModel(context, agent, named) : requireCallModel(context, named, session)
  const { fields } = firstSession(context, model, session)
  const createdMs = app.clock.nowMs()
  const expiresAt = Math.floor(createdMs / 1000) + seconds
  const value = newClientSecret()
  const answer: Secret = { value, expires_at: expiresAt, session: fields }
  return acceptOnce(
    context,
    { endpoint: '/v1/realtime/client_secrets', statusCode: 200, sealed: true },
    async (tx) => {
      await insertClientSecret(tx, {
        account_id: caller.accountId,
        secret_hash: sha256(value),
        project_id: caller.projectId,
        key_id: caller.keyId,
        session_id: caller.sessionId ?? null,
        // An agent's own model may change, so it is not stored.
        model: agent && named === undefined ? null : model.id,
        agent_id: agent?.agentId ?? null,
        session,
        store,
        calls_left: callsOfSecret,
        created_at: new Date(createdMs),
        expires_at: new Date(expiresAt * 1000),
      })
      return answer
    },
  )
}

/** What the platform can do, in reading order. */
import { accounting } from '#capabilities/accounting'
import { chat } from '#capabilities/chat'
import { docs } from '#capabilities/docs'
import { health } from '#capabilities/health'
import { messages } from '#capabilities/messages'
import { models } from '#capabilities/models'
import { responses } from '#capabilities/responses'
import type { Route } from '#platform/http'

const capabilities = [models, chat, responses, messages, accounting, health]

const served: Route[] = capabilities.flatMap(({ routes }) => routes)

/** Every route of the server, its own description included. */
export const routes: Route[] = [...served, ...docs(served)]

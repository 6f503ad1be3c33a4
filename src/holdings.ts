/** What the rooms hold of an account, in the order in which an account is deleted: what strangers reach first, keys and projects last. */

import { peopleHolding } from '#account/people'
import { webhooksHolding } from '#account/webhooks'
import type { App } from '#app'
import { cloudsHolding } from '#cloud/cloud-routes'
import { filesHolding } from '#core/files'
import { videosHolding } from '#media/video'
import { authHolding } from '#platform/auth'
import { eventsHolding } from '#platform/events'
import { type BoundHolding, bindHolding, type Holding } from '#platform/holdings'
import { jobsHolding } from '#platform/jobs'
import { repliesHolding } from '#platform/ledger'
import { sitesHolding } from '#sites/hosting'
import { batchesHolding } from '#text/messages'
import { realtimeHolding } from '#voice/realtime'
import { agentsHolding } from '#work/agents'
import { knowledgeHolding } from '#work/knowledge'
import { runsHolding } from '#work/runs'
import { talkHolding } from '#work/talk'

type HoldingApp = Omit<App, 'holdings'>

const holdings: readonly Holding<HoldingApp>[] = [
  cloudsHolding,
  sitesHolding,
  webhooksHolding,
  realtimeHolding,
  batchesHolding,
  runsHolding,
  agentsHolding,
  knowledgeHolding,
  talkHolding,
  videosHolding,
  filesHolding,
  eventsHolding,
  jobsHolding,
  repliesHolding,
  peopleHolding,
  authHolding,
]

/** The same, with the app that they use. */
export const bindHoldings = (app: HoldingApp): BoundHolding[] =>
  holdings.map((holding) => bindHolding(holding, app))

/** The metric series of all rooms, in the order in which `GET /metrics` lists them. */
import { webhookSeries } from '#account/webhooks'
import { cloudSeries } from '#cloud/cloud-routes'
import { databaseSeries } from '#cloud/databases'
import { brokerSeries, channelSeries, functionSeries } from '#cloud/functions'
import { upstreamSeries } from '#core/routing'
import { videoSeries } from '#media/video'
import { appsSeries } from '#platform/apps'
import { keySeries } from '#platform/auth'
import { poolSeries } from '#platform/db'
import { requestSeries } from '#platform/http'
import { jobSeries, jobTimeSeries } from '#platform/jobs'
import { ledgerSeries } from '#platform/ledger'
import { mailSeries } from '#platform/mail'
import type { AllSeries, Registry } from '#platform/metrics'
import { smsSeries } from '#platform/sms'
import { storageSeries } from '#platform/storage'
import { webrtcSeries } from '#platform/webrtc'
import { realtimeSeries } from '#voice/realtime'

/** The series of all rooms, in the order in which `GET /metrics` lists them. */
export const makeSeries = (registry: Registry): AllSeries => ({
  ...requestSeries(registry),
  ...ledgerSeries(registry),
  ...upstreamSeries(registry),
  ...jobSeries(registry),
  ...webhookSeries(registry),
  ...jobTimeSeries(registry),
  ...poolSeries(registry),
  ...keySeries(registry),
  ...videoSeries(registry),
  ...appsSeries(registry),
  ...cloudSeries(registry),
  ...databaseSeries(registry),
  ...functionsHostSeries(registry),
  ...mailSeries(registry),
  ...smsSeries(registry),
  ...storageSeries(registry),
  ...webrtcSeries(registry),
  ...realtimeSeries(registry),
})

/** The series of a host of functions, which has no other rooms. */
export const functionsHostSeries = (registry: Registry) => ({
  ...functionSeries(registry),
  ...brokerSeries(registry),
  ...channelSeries(registry),
})

/** Every section of the configuration, in the order in which errors are reported. */

import { openid } from '#account/openid/settings'
import { people } from '#account/sign-in-routes/settings'
import { backups } from '#cloud/backups/settings'
import { clouds } from '#cloud/clouds/settings'
import { databases } from '#cloud/databases/settings'
import { functions, functionsHost } from '#cloud/functions/settings'
import { files, studio } from '#core/files/settings'
import { defaults, models, providers, vendors } from '#core/models/settings'
import { ffmpeg } from '#core/sound/settings'
import { tools } from '#core/tools/settings'
import { audio } from '#media/audio-routes/settings'
import { apps } from '#platform/apps/settings'
import {
  type Config,
  type Env,
  loadConfig as load,
  processVariables,
  type Section,
  type Variable,
} from '#platform/config'
import { disk } from '#platform/disk-space/settings'
import { limits, trustedProxies } from '#platform/http/settings'
import { budgets } from '#platform/ledger/settings'
import { mail } from '#platform/mail/settings'
import { metrics } from '#platform/metrics/settings'
import { net } from '#platform/net/settings'
import { proxies, tls } from '#platform/proxy/settings'
import { sms } from '#platform/sms/settings'
import { storage } from '#platform/storage/settings'
import { tracing } from '#platform/trace/settings'
import { webrtc } from '#platform/webrtc/settings'
import { sites } from '#sites/hosting/settings'
import { batches } from '#text/messages/settings'
import { voice, voiceHost } from '#voice/realtime/settings'
import { work } from '#work/runs/settings'

export const settings: readonly Section[] = [
  providers,
  models,
  defaults,
  budgets,
  batches,
  work,
  net,
  tls,
  tools,
  storage,
  disk,
  files,
  studio,
  sites,
  clouds,
  databases,
  backups,
  functions,
  functionsHost,
  mail,
  sms,
  openid,
  people,
  audio,
  voice,
  voiceHost,
  limits,
  trustedProxies,
  apps,
  metrics,
  proxies,
  vendors,
  tracing,
  webrtc,
  ffmpeg,
]

/** Every variable of the environment that the program reads by its name. */
export const variables: readonly Variable[] = [
  ...processVariables,
  ...settings.flatMap((section) => section.variables),
]

/** The configuration of one start: `loadConfig` of `#platform/config` with all sections. */
export const loadConfig = (env: Env, fileText?: string): Config => load(settings, env, fileText)

/** The sections that a host of functions reads from the configuration file; every other section belongs to the platform and is refused there. */
const functionsHostSettings: readonly Section[] = [net, tls, functions, functionsHost, metrics, proxies]

export const loadFunctionsHostConfig = (env: Env, fileText?: string): Config =>
  load(functionsHostSettings, env, fileText)

/** The slices of the app that are members of it, because one room hands them to another: composed here of the services that are open. */
import type { App } from '#app'
import type { AppCallApp, CloudDeletionApp } from '#cloud/cloud-routes'
import { lockReadyCloud, requireReadyCloud } from '#cloud/clouds'
import type { FilesApp } from '#core/files'
import type { TurnApp } from '#core/inference'
import type { PaidApp } from '#core/paid'
import type { ModelRequestApp } from '#core/text'
import type { ImagesApp } from '#media/images'
import type { VideoApp } from '#media/video'
import type { LinkedClouds } from '#sites/site-routes'
import type { PassthroughApp } from '#voice/realtime'
import type { KnowledgeApp } from '#work/knowledge'
import type { RunsApp } from '#work/runs'
import { bindHoldings } from './holdings.ts'

export type ComposedSlices = Pick<
  App,
  | 'files'
  | 'paid'
  | 'turns'
  | 'modelRequests'
  | 'linkedClouds'
  | 'knowledge'
  | 'runs'
  | 'passthrough'
  | 'appCalls'
  | 'cloudDeletion'
  | 'images'
  | 'videos'
  | 'holdings'
>

/** What `openApp` opens. The slices are composed of it. */
export type Services = Omit<App, keyof ComposedSlices>

/** Composes the slices, each of the services that it names and of the slices before it. */
export function composeSlices(services: Services): ComposedSlices {
  const { clock, config, db, inference, keys, ledger, log, metrics, models, space } = services
  const { countPages, net, processes, secrets, storage, tools, waiting } = services
  const files: FilesApp = { clock, config, db, log, metrics, processes, storage, waiting }
  const paid: PaidApp = {
    ...{ clock, config, inference, keys, ledger, log, metrics, models, space },
    files,
  }
  const turns: TurnApp = { ...paid, tools }
  const modelRequests: ModelRequestApp = {
    ...{ clock, config, countPages, db, inference, ledger, log, models, net, secrets },
    turns,
  }
  const { jobs, pipelines, reader } = services
  const knowledge: KnowledgeApp = {
    ...{ clock, db, jobs, keys, ledger, log, metrics, models, reader, secrets, storage },
    paid,
  }
  const runs: RunsApp = {
    ...{ clock, config, db, jobs, log, metrics, models, pipelines, secrets, storage },
    ...{ knowledge, turns },
  }
  const passthrough: PassthroughApp = { clock, config, db, inference, log, metrics }
  const images: ImagesApp = { ...paid, svgs: services.svgs }
  const videos: VideoApp = { clock, config, db, files, inference, jobs, log, metrics, models }
  const slices = {
    ...{ files, paid, turns, modelRequests, knowledge, runs, passthrough, images, videos },
    linkedClouds: linkedCloudsOf(services),
    ...cloudSlices(services),
  }
  return { ...slices, holdings: bindHoldings({ ...services, ...slices }) }
}

/** The app back-ends that sites are published for, as the rooms of clouds find and lock them. */
const linkedCloudsOf = ({ db }: Pick<Services, 'db'>): LinkedClouds => ({
  async requireReady(owner, cloudId, param) {
    const cloud = await requireReadyCloud(db, owner, cloudId, param)
    return {
      cloudId: cloud.cloud_id,
      lock: async (tx) => void (await lockReadyCloud(tx, cloud, param)),
    }
  },
})

/** Composes the slices of clouds. */
function cloudSlices(services: Services): Pick<App, 'appCalls' | 'cloudDeletion'> {
  const { appUsers, clock, collections, config, databases, db, jobs, log, mail, metrics } = services
  const { cloudAllowances, functionSource, functions, secrets, sites, storage } = services
  const appCalls: AppCallApp = {
    appFiles: { clock, config, db, log, metrics, storage },
    buckets: { clock, config, databases, db, log, metrics, storage },
    ...{ clock, cloudAllowances, collections, config, databases, functionSource, functions, secrets },
    users: { appUsers, clock, config, databases, db, jobs, log, mail, secrets, sites, storage },
  }
  const cloudDeletion: CloudDeletionApp = {
    ...{ appUsers, clock, collections, config, databases, db },
    ...{ functions, jobs, log, metrics, sites, storage },
  }
  return { appCalls, cloudDeletion }
}

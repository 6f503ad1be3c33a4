/** The slices of the app that rooms hand to rooms of core, composed of the services that are open. */
import type { App } from '#app'
import type { FilesApp } from '#core/files'
import type { TurnApp } from '#core/inference'
import type { PaidApp } from '#core/paid'
import type { ModelRequestApp } from '#core/text'

export type CoreSlices = Pick<App, 'files' | 'paid' | 'turns' | 'modelRequests'>

/** What `openApp` opens. The slices are composed of it. */
export type Services = Omit<App, keyof CoreSlices>

/** Composes the slices of core, each of the services that it names and of the slices before it. */
export function coreSlices(services: Services): CoreSlices {
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
  return { files, paid, turns, modelRequests }
}

/** Opens what only clouds use: their own databases, and what compiles, runs and guards their functions. */
import path from 'node:path'
import type { App, BaseServices } from '#app'
import {
  type CloudDatabases,
  ExternalProvider,
  LocalProvider,
  openCloudDatabases,
  PlatformSizes,
  requireFittingPackages,
} from '#cloud/databases'
import {
  channelVersion,
  depthPurpose,
  depthSignatures,
  type FunctionSource,
  openBroker,
  openFunctionCompiler,
  openFunctionRuntime,
  openFunctionSource,
  openRemoteFunctions,
  ownListeners,
  type PlatformServices,
} from '#cloud/functions'
import type { FindIsolation } from '#platform/confined'
import type { Jail } from '#platform/jail'

/** Databases of dedicated clouds. */
export function openDatabases(base: BaseServices, jail: Jail): CloudDatabases {
  const { config, db, log, secrets, metrics, installation } = base
  requireFittingPackages(config)
  const { local, idleMs, memoryShare, leastFreeDisk, servers } = config.databases
  const sizes = new PlatformSizes(base)
  const root = path.join(config.dataDir, 'databases')
  const limits = { idleMs, memoryShare, leastFreeDisk, sizes }
  const owner = { id: installation.folderId, isAdopted: installation.isAdopted }
  return openCloudDatabases({
    db,
    secrets,
    metrics,
    // A copy has no databases of its own: those that it lists belong to its original.
    providers: installation.copy
      ? []
      : [
          ...(local
            ? [new LocalProvider({ root, owner, pgBin: config.pgBin, ...limits, jail, log, metrics })]
            : []),
          new ExternalProvider({ servers, secrets, sizes, idleMs }),
        ],
  })
}

/** Opens what compiles the code of clouds, what runs it, and what sends its requests. */
export function openFunctions(
  base: BaseServices,
  {
    net,
    cloudAllowances,
    isolation,
    jail,
  }: Pick<App, 'net' | 'cloudAllowances'> & { isolation: FindIsolation; jail: Jail },
  opening: AsyncDisposableStack,
): Pick<App, 'functions' | 'functionCompiler' | 'functionSource'> {
  const { config, log, metrics, secrets } = base
  const source = opening.use(openFunctionSource(base))
  const broker = opening.use(
    openBroker({
      ...{ net, log, metrics },
      listeners: () => ownListeners(config),
      depthSigner: () => secrets.signer(depthPurpose),
      egressOf: (cloud) => ({ take: async (bytes) => cloudAllowances.takeEgress(cloud, bytes) }),
    }),
  )
  const openEgress = broker.open.bind(broker)
  const { hosts } = config.functions
  return {
    functions: opening.use(
      hosts.length > 0
        ? openRemoteFunctions(hosts, platformSide(base, source, cloudAllowances))
        : openFunctionRuntime({ config: config.functions, log, metrics, source, openEgress, jail }),
    ),
    functionCompiler: openFunctionCompiler({
      log,
      isolation,
      dataDir: config.dataDir,
      packages: config.functions.packages,
    }),
    functionSource: source,
  }
}

/** What this process gives to hosts of functions, and what it takes from them. */
const platformSide = (
  { config, clock, log, metrics, secrets }: BaseServices,
  source: FunctionSource,
  cloudAllowances: App['cloudAllowances'],
): PlatformServices => ({
  clock,
  log,
  metrics,
  version: channelVersion,
  source,
  egress: {
    take: (cloud, bytes) => cloudAllowances.takeEgress(cloud, bytes),
    refund: (cloud, bytes) => cloudAllowances.refundEgress(cloud, bytes),
  },
  hello: async () => {
    const { api, apps } = ownListeners(config)
    return {
      depths: depthSignatures(await secrets.signer(depthPurpose)),
      platformOrigins: api?.origins ?? [],
      pathOrigins: apps?.pathOrigins ?? [],
    }
  },
})

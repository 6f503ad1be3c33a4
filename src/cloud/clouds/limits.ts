import { type CloudsConfig, minDatabase, type Offer } from './settings.ts'

/** The limits of one cloud. Limits that its plan does not have are 0: collections of dedicated clouds, the database of Starter clouds. */
export type CloudLimits = Omit<CloudsConfig, 'cloudsPerProject' | 'packages'> &
  Pick<Offer, 'diskBytes' | 'memoryBytes' | 'connections' | 'awakeHours'>

/** What the limits of a cloud come from. */
export interface LimitSource {
  /** The package of a dedicated cloud, by its id in the configuration. */
  readonly offer: string | null
  /** What the operator has set for this cloud alone, by the names of the configuration. */
  readonly limits: Readonly<Record<string, number>>
}

const starter: LimitSource = { offer: null, limits: {} }

export const findOffer = ({ packages }: CloudsConfig, id: string | null): Offer | undefined =>
  packages.find((one) => one.id === id)

/**
 * The limits of a cloud: those of the configuration, or of its package for a dedicated cloud, each replaced by what the operator has set for this
 * cloud alone. Where the configuration no longer has the package, they are those of Starter, with `minDatabase`.
 */
export function limitsOf(config: CloudsConfig, { offer, limits: own }: LimitSource = starter): CloudLimits {
  const found = findOffer(config, offer)
  const common = found ?? config
  const isStarter = offer === null
  return {
    secrets: own['secrets'] ?? common.secrets,
    functions: own['functions'] ?? common.functions,
    users: own['users'] ?? common.users,
    files: own['files'] ?? common.files,
    fileBytes: own['file_bytes'] ?? common.fileBytes,
    fileTotalBytes: own['file_total_bytes'] ?? common.fileTotalBytes,
    dailyEgressBytes: own['daily_egress_bytes'] ?? common.dailyEgressBytes,
    dailyFunctionCalls: own['daily_function_calls'] ?? common.dailyFunctionCalls,
    dailyMails: own['daily_mails'] ?? common.dailyMails,
    collections: isStarter ? (own['collections'] ?? config.collections) : 0,
    rows: isStarter ? (own['rows'] ?? config.rows) : 0,
    rowBytes: isStarter ? (own['row_bytes'] ?? config.rowBytes) : 0,
    diskBytes: isStarter ? 0 : (own['disk_bytes'] ?? found?.diskBytes ?? minDatabase.diskBytes),
    memoryBytes: isStarter ? 0 : (own['memory_bytes'] ?? found?.memoryBytes ?? minDatabase.memoryBytes),
    connections: isStarter ? 0 : (own['connections'] ?? found?.connections ?? minDatabase.connections),
    awakeHours: isStarter ? 0 : (own['awake_hours'] ?? found?.awakeHours ?? minDatabase.awakeHours),
  }
}

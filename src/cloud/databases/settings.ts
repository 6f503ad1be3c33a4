import { Type } from 'typebox'
import {
  type ConfigNode,
  fileSection,
  integerIn,
  readingRules,
  refusals,
  refuseConfig,
} from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    databases: DatabasesConfig
  }
}

/** A PostgreSQL of the operator. */
export interface DatabaseServer {
  /** The name by which its databases are recorded; it never changes. */
  name: string
  /** The address, with a superuser of the server. */
  url: string
  /** The most databases that it takes. */
  limit: number
}

/** Where databases of dedicated clouds lie, and what they may take. */
export interface DatabasesConfig {
  /** Whether this machine takes any. */
  local: boolean
  /** The part of this machine's memory for all databases that are awake. */
  memoryShare: number
  idleMs: number
  /** The part of this machine's disk that stays free: with less free no app writes. */
  leastFreeDisk: number
  servers: readonly DatabaseServer[]
}

const serverName = {
  en: 'small Latin letters, digits and hyphens, at most 40, a letter first',
  fa: 'حروف کوچک لاتین، رقم و خط تیره، حداکثر ۴۰ کاراکتر و با حرف در آغاز',
}
const serverUrl = {
  en: 'the address of a PostgreSQL server, such as postgres://kherad:password@10.0.0.9:5432/postgres',
  fa: 'نشانی یک سرور PostgreSQL، مانند postgres://kherad:password@10.0.0.9:5432/postgres',
}

function checkServerUrl(text: string, node: ConfigNode): void {
  const url = URL.parse(text)
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol) || url.username === '')
    node.refuseValue(serverUrl)
}

export const databases = fileSection({
  name: 'databases',
  schema: Type.Object(
    {
      local: Type.Boolean({
        default: true,
        description:
          'Whether databases of dedicated clouds lie on this machine, each a PostgreSQL server of its own in a jail.',
      }),
      memory_percent: integerIn(1, 90, {
        default: 25,
        description:
          'Percent of the memory of this machine for all databases that are awake; the one that was used longest ago makes way.',
      }),
      idle_minutes: integerIn(1, 1_440, {
        default: 10,
        description: 'Minutes after its last use until a database sleeps.',
      }),
      free_disk_percent: integerIn(1, 50, {
        default: 10,
        description:
          'Percent of the disk of this machine; with less than that free whatever writes in a database of it is ended.',
      }),
      servers: Type.Array(
        Type.Object({
          name: Type.String({
            pattern: '^[a-z][a-z0-9-]{0,39}$',
            description: 'By which its databases are recorded: it stays.',
            ...readingRules({ expected: serverName }),
          }),
          url: Type.String({
            maxLength: 2_000,
            ...readingRules({ secret: true, expected: serverUrl, check: checkServerUrl }),
          }),
          databases: integerIn(0, 10_000, { default: 1_000, description: 'Databases that it takes.' }),
        }),
        {
          default: [],
          maxItems: 64,
          description:
            'PostgreSQL servers of the operator, each with databases of many apps. They take new ones where this machine takes none.',
        },
      ),
    },
    { default: {} },
  ),
  read: (typed, { at }) => {
    for (const [index, { name }] of typed.servers.entries())
      if (typed.servers.findIndex((other) => other.name === name) < index)
        refuseConfig(refusals.duplicate(at('servers', index, 'name')!.sourcePosition(), name))
    return {
      local: typed.local,
      memoryShare: typed.memory_percent / 100,
      idleMs: typed.idle_minutes * 60_000,
      leastFreeDisk: typed.free_disk_percent / 100,
      servers: typed.servers.map(({ name, url, databases }) => ({ name, url, limit: databases })),
    }
  },
})

/** The areas at the address of a cloud, each with its own protocol. */
import type { AppArea } from './area.ts'
import { authArea } from './auth/auth.ts'
import { filesArea } from './files/files.ts'
import { functionsArea } from './functions/functions.ts'
import { realtimeArea } from './realtime/realtime.ts'
import { restArea } from './rest/rest.ts'
import { storageArea } from './storage/storage.ts'

export const areas: readonly AppArea[] = [
  authArea,
  restArea,
  functionsArea,
  filesArea,
  storageArea,
  realtimeArea,
]

/** What a cloud answers at its address, each part in its own words. */
import type { AppArea } from './area.ts'
import { filesArea } from './files/files.ts'
import { functionsArea } from './functions/functions.ts'
import { realtimeArea } from './realtime/realtime.ts'
import { storageArea } from './storage/storage.ts'

export const areas: readonly AppArea[] = [storageArea, realtimeArea, filesArea, functionsArea]

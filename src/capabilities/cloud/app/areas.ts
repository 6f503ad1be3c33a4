/** What a cloud answers at its address, each part in its own words. */
import type { AppArea } from './area.ts'

export const areas: readonly AppArea[] = []

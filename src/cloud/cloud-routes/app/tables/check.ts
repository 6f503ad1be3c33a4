/** Conditions that an answer has to meet for the request to count. */
import { refuse } from '#cloud/tables'
import { refusals } from '../rest/refusals.ts'
import type { TablesRequest } from './request.ts'

/** Throws RestRefused, as both of these functions do. */
export function requireAffected({ preferences: { maxAffected } }: TablesRequest, rows: number): void {
  if (maxAffected !== undefined && rows > maxAffected) refuse(refusals.maxAffected(rows))
}

export function requireSingle({ shape }: TablesRequest, rows: number): void {
  if (shape.kind === 'single' && rows !== 1) refuse(refusals.single(rows))
}

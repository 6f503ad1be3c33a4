/**
 * The cursor `since`: a position of the account, encrypted, because positions are numbers of the whole installation and would show how many calls all
 * accounts together settle (docs/decisions/account/requests.md).
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Secrets } from '#platform/secrets'

export interface PositionCursors {
  write(position: bigint): string
  /** The position; undefined if this server did not write the cursor for this account. */
  read(cursor: string): bigint | undefined
}

const cipher = 'aes-256-ecb'
/** One block of AES: eight zeros, which only the key of the account can have written, and the position. */
const blockBytes = 16

/** Opens the cursors of an account. Throws SECRETS_SEALED. */
export async function positionCursors(secrets: Secrets, accountId: string): Promise<PositionCursors> {
  const key = (await secrets.signer('position of ended requests'))(Buffer.from(accountId))
  return {
    write(position) {
      const block = Buffer.alloc(blockBytes)
      block.writeBigInt64BE(position, 8)
      return createCipheriv(cipher, key, null).setAutoPadding(false).update(block).toString('base64url')
    },
    read(cursor) {
      const sealed = Buffer.from(cursor, 'base64url')
      if (sealed.length !== blockBytes || sealed.toString('base64url') !== cursor) return undefined
      const block = createDecipheriv(cipher, key, null).setAutoPadding(false).update(sealed)
      return block.readBigInt64BE(0) === 0n ? block.readBigInt64BE(8) : undefined
    },
  }
}

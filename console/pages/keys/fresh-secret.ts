/**
 * The secret of the key that was made a moment ago: in the memory of the page alone, in no address and no storage, and gone with the page of the key.
 */
let fresh: { keyId: string; secret: string } | undefined

export function keepSecret(keyId: string, secret: string): void {
  fresh = { keyId, secret }
}

export const secretOf = (keyId: string): string | undefined =>
  fresh?.keyId === keyId ? fresh.secret : undefined

export function forgetSecret(): void {
  fresh = undefined
}

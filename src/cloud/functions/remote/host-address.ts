/** How the API names a host of functions. */
export interface HostAddress {
  /** `https://10.0.0.7:8081`: where its channel listens. */
  url: string
  /** 32 random bytes and more, in base64, hexadecimal or base62. */
  key: string
}

/** Why a request through a proxy failed, for the operator: in logs, internal details of receipts and the doctor, which are all in English. */
export const phrases = {
  away: (proxy: string, detail: string) => `the proxy ${proxy} cannot be reached (${detail})`,
  login: (proxy: string, detail: string) =>
    `the proxy ${proxy} refused its user or password (${detail}): correct them in its address`,
  forbidden: (proxy: string, detail: string) =>
    `the proxy ${proxy} does not allow this address (${detail}): allow it there, or choose another way`,
  unreachable: (proxy: string, detail: string) =>
    `the proxy ${proxy} found no way to the address (${detail})`,
  other_language: (proxy: string, detail: string) =>
    `the proxy ${proxy} does not answer as such a proxy does (${detail}): check its protocol and port`,
}

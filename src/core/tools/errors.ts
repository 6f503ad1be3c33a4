import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    HOSTED_TOOL_NOT_CONFIGURED: { tool: string }
  }
}

declareFailures({
  HOSTED_TOOL_NOT_CONFIGURED: {
    status: 400,
    retry: false,
    en: ({ tool }) => `The tool ${tool} is not switched on here: ${remedyOf(tool).en}`,
    fa: ({ tool }) => `ابزار ${tool} در این سرویس روشن نیست: ${remedyOf(tool).fa}`,
  },
})

const remedies: Record<string, Localized> = {
  web_search: {
    en: 'its operator has to set tools.web_search in kherad.config.yaml, or one of SEARXNG_URL, BRAVE_API_KEY, TAVILY_API_KEY and SERPER_API_KEY; or ask without it.',
    fa: 'گرداننده باید tools.web_search را در kherad.config.yaml بنویسد یا یکی از SEARXNG_URL، BRAVE_API_KEY، TAVILY_API_KEY و SERPER_API_KEY را تعیین کند؛ یا بی آن بپرسید.',
  },
  web_fetch: {
    en: 'its operator has switched it off by tools.web_fetch.enabled in kherad.config.yaml; ask without it.',
    fa: 'گرداننده آن را با tools.web_fetch.enabled در kherad.config.yaml خاموش کرده است؛ بی آن بپرسید.',
  },
}

/** The remedy for a missing tool; also called with the placeholders of the API reference, which name no tool. */
const remedyOf = (tool: string): Localized =>
  remedies[tool] ?? {
    en: 'its operator can switch it on in kherad.config.yaml; or ask without it.',
    fa: 'گرداننده می‌تواند آن را در kherad.config.yaml روشن کند؛ یا بی آن بپرسید.',
  }

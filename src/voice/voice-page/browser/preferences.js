/** The language and the colours that were chosen in the console, before anything is shown. A script without `type="module"`, so that it runs first. */
{
  const address = new URL(location.href)
  const language = localStorage.getItem('kherad.locale')
  const isOther = (language === 'fa' || language === 'en') && language !== document.documentElement.lang
  if (isOther && !address.searchParams.has('lang')) {
    address.searchParams.set('lang', language)
    location.replace(address)
  }
  const scheme = localStorage.getItem('kherad.scheme')
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset['scheme'] = scheme
}

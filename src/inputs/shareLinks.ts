/**
 * File hosts whose share links lead to a web page about the file. For each host, `direct` derives the link to the file
 * itself.
 */
const HOSTS: readonly { host: RegExp; direct(url: URL): string | undefined }[] = [
  { host: /^(www\.)?dropbox\.com$/, direct: (url) => withParameter(url, "dl", "1") },
  { host: /(^|-my)\.sharepoint\.com$/, direct: (url) => withParameter(url, "download", "1") },
  {
    host: /^drive\.google\.com$/,
    direct: ({ pathname, searchParams }) => {
      const id = /^\/file(?:\/u\/\d+)?\/d\/([\w-]+)/.exec(pathname)?.[1] ?? searchParams.get("id");
      return id ? `https://drive.google.com/uc?export=download&id=${encodeURIComponent(id)}` : undefined;
    },
  },
  {
    host: /^docs\.google\.com$/,
    direct: ({ pathname }) => {
      const document = /^\/(document|spreadsheets|presentation)(?:\/u\/\d+)?\/d\/([\w-]+)/.exec(pathname);
      return document ? `https://docs.google.com/${document[1]}/d/${document[2]}/export?format=pdf` : undefined;
    },
  },
  {
    host: /^github\.com$/,
    direct: ({ origin, pathname }) =>
      /^\/[^/]+\/[^/]+\/blob\//.test(pathname) ? origin + pathname.replace("/blob/", "/raw/") : undefined,
  },
];

/**
 * Converts a file host's share link to the direct link of the file. Returns undefined for a direct link and for any
 * other URL.
 */
export function directLink(address: string): string | undefined {
  const url = URL.parse(address);
  const link = url ? HOSTS.find(({ host }) => host.test(url.hostname))?.direct(url) : undefined;
  return link === url?.href ? undefined : link;
}

/**
 * Returns the direct link of a share link if their paths differ. A share link with a different path certainly leads to
 * a web page. Returns undefined if the paths are equal, because a query parameter of the share link may already ask for
 * the file.
 */
export function directLinkOfPage(address: string): string | undefined {
  const link = directLink(address);
  return link !== undefined && URL.parse(link)?.pathname !== URL.parse(address)?.pathname ? link : undefined;
}

function withParameter({ href }: URL, name: string, value: string): string {
  const url = new URL(href);
  url.searchParams.set(name, value);
  return url.href;
}

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { searchQuery } from "./queries.ts";

const typingMs = 120;

/** The results for a text, fetched once typing pauses or ends. Until they arrive, the previous results. */
export function useSearch(typed: string, over = false) {
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), over ? 0 : typingMs);
    return () => clearTimeout(timer);
  }, [typed, over]);
  const answer = useQuery({ ...searchQuery(text), enabled: text !== "", placeholderData: keepPreviousData });
  if (typed === "") return { found: undefined, searching: false, failed: false };
  const searching = text !== typed || answer.isPending || answer.isPlaceholderData;
  return { found: answer.data, searching, failed: !searching && answer.isError };
}
